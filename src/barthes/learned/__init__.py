"""Methods that were trained on people's judgements."""
