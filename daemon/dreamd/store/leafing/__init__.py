"""Leafing through what is kept: some of many, in an order a person chose."""
