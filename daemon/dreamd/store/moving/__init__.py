"""The store's rows on their way out of a home and into another: complete, in one order, without a place on a disk."""
