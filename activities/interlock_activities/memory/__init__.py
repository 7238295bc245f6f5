"""Long-term memory: stores of what people have said and were answered, and the activities that use them."""
