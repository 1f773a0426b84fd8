"""The block level: p(b | A), the microcanonical degree-corrected stochastic block model."""
