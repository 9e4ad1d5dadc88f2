"""What every room stands on: values, errors, time, settings, paths, files, locks, telemetry, outage markers."""
