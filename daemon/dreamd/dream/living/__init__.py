"""Documents that live on: what took another's place in them is told by the documents themselves."""
