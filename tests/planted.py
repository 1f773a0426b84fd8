"""Small networks with known blocks, for tests."""

import numpy as np

import ffbm


def planted_edges(rng, sizes=(40, 40), inside=0.25, between=0.02):
    """Edges of a planted partition, and the block of each vertex."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    i, j = np.triu_indices(len(labels), 1)
    chance = np.where(labels[i] == labels[j], inside, between)
    there = rng.random(len(i)) < chance
    return np.column_stack((i[there], j[there])), labels


def planted_network(seed, features, sizes=(40, 40), inside=0.25, between=0.02):
    """A planted network with the features that ``features(labels, rng)`` gives, and its labels."""
    rng = np.random.default_rng(seed)
    edges, labels = planted_edges(rng, sizes, inside, between)
    return ffbm.as_network(edges, np.asarray(features(labels, rng), dtype=float), name="planted"), labels


def telling_flag(labels, rng, agree=0.85):
    """A flag that agrees with [block 0] on a share of the vertices."""
    return np.where(rng.random(len(labels)) < agree, labels == 0, labels != 0).astype(float)


def two_flags(labels, rng):
    """A noise flag and one that tells nearly all."""
    return np.column_stack((noise_flag(labels, rng), telling_flag(labels, rng, agree=0.97)))


def noise_flag(labels, rng, share=0.5):
    """A flag that knows nothing of the blocks."""
    return (rng.random(len(labels)) < share).astype(float)
