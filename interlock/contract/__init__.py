"""What crosses the durable boundary: message shapes, the strict JSON loader, and the activities' names."""
