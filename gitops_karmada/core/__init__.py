"""What should be: values in, values out. Nothing here reads, writes, logs, waits or knows the time."""
