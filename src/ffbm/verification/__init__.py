"""Checks that users can run: does every sampler sample what it says, on this machine?"""

from ffbm.verification.outcome import Verification
from ffbm.verification.suite import verify

__all__ = ["Verification", "verify"]
