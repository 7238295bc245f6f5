"""The machine of a procedure: its walk over the steps, side by side where it may, resumed from a journal."""
