"""What can go wrong, by name. A message says what was required, what came and what to do, in one line."""


class FFBMError(Exception):
    """An error whose cause lies with the input, the arguments or the machine, not with the package."""


class DataError(FFBMError, ValueError):
    """A network, table or file that cannot be used as it is."""


class OptionError(FFBMError, ValueError):
    """An argument outside what a function or command accepts."""


class ConvergenceWarning(UserWarning):
    """Chains that are not graded "converged": whether their summaries can be relied on, and what would help."""
