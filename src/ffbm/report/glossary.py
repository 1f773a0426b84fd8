"""The words of the outputs, each explained in a sentence or two; ``docs/glossary.md`` has the same list."""

WORDS = {
    "base rate": "The share of the training vertices in each block: the best guess that knows no feature.",
    "bits": "How much is known about the block of a vertex: one bit halves the number of equally likely blocks. Bits"
    " explained are over the base rate; 0 means that features explain nothing, less than 0 that they mislead.",
    "bits alone, bits beyond": "What one column explains by itself, and what all columns together lose without it.",
    "block": "A group of vertices that are linked alike: to the same blocks, equally often for their degrees.",
    "centred weight": "A weight minus the mean over blocks and, where the values of a column cover all vertices, minus"
    " the mean over them: only differences have a meaning. Under the learned prior, of the draws that include the"
    " column.",
    "chain": "One run of the sampler from its own start. Chains that agree are the evidence that they have converged.",
    "column, feature": "A column is an attribute in your table. It becomes one feature (a number, a flag) or one for"
    " each of its values.",
    "converged, usable, multimodal, too short": "The grade of the chains. Rely on converged and, with care, on usable;"
    " multimodal chains found different partitions; too short ones need more time.",
    "cut, joint": "Cut: blocks come from the edges alone and are then explained. Joint: features help to find blocks.",
    "description length S": "The nats needed to write down the network with the help of a partition. Less is better.",
    "ESS": "Effective sample size: how many independent draws the correlated draws of the chains are worth.",
    "held out": "Vertices whose blocks the weights were not fitted to. Scores on them are honest.",
    "inclusion": "The posterior probability that a column matters at all.",
    "intercept": "The part of a block's log odds that no feature accounts for.",
    "interval": "All are 95 %: the middle 95 % of the draws, or, of bits over vertices, two standard errors each way.",
    "loss": "The mean of minus the log probability given to the true block, in nats. Less is better.",
    "mode": "A group of partitions that are alike. Several modes mean several pictures of the same network.",
    "nats": "As bits, with natural logarithms: 1 nat is 1.44 bits.",
    "p value": "How often a column with permuted values describes the edges as well, or better, by chance.",
    "R-hat": "How much chains differ from each other, against how much each varies. 1 is ideal, at most 1.01 is asked.",
    "sign sure by": "The probability that a weight has the sign shown.",
    "standard error": "By how much an estimate would typically vary with other vertices of the same kind.",
    "weight": "By how much a feature raises the log odds of a block.",
}
