"""What the machine makes of models: whom it asks, with which words, and what of the answer it believes."""
