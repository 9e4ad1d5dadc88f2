"""Installing the service: units and plists from templates."""
