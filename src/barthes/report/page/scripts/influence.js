"use strict";
/* Dependencies between sentences. The data have one of two forms: `columns` (the loss of every later sentence) or
   `pairs` (later, loss, later, loss, … for the strongest only). */
Barthes.influence = (function () {
  /** Return {count, reach, scale, of(j), on(i), arcs(j, most)}, or null for methods without dependencies. */
  function open(data) {
    if (!data) return null;
    const columns = (data.columns || data.pairs).map((column, j) =>
      data.columns ? fromRow(column, j) : fromPairs(column),
    );
    return build(columns, data.kept);
  }

  function build(columns, kept) {
    let reach = 0;
    const sizes = [];
    columns.forEach((column, j) =>
      column.forEach(([later, loss]) => {
        reach = Math.max(reach, later - j);
        sizes.push(Math.abs(loss));
      }),
    );
    sizes.sort((a, b) => a - b);
    const usual = averageByDistance(columns, reach);
    return {
      count: columns.length,
      reach,
      kept,
      /** The loss with the full shade: the 98th percentile, so that outliers do not leave others pale. */
      scale: sizes.length ? sizes[Math.ceil(0.98 * sizes.length) - 1] || sizes[sizes.length - 1] : 0,
      /** Losses of later sentences when S_j is removed: [[later, loss], …] in story order. */
      of: (j) => columns[j] || [],
      /** Losses of S_i when each earlier sentence is removed: [[earlier, loss], …]. */
      on: (i) => {
        const found = [];
        for (let j = Math.max(0, i - reach); j < i; j += 1) {
          const loss = lossOf(columns[j], i);
          if (loss !== null) found.push([j, loss]);
        }
        return found;
      },
      /** The losses that exceed what is usual at their distance, the ones that exceed it most first. */
      arcs: (j, most) => {
        const excess = ([later, loss]) => loss - usual[later - j];
        const beyond = (columns[j] || []).filter((pair) => pair[1] > 0 && excess(pair) > 0);
        return beyond.sort((a, b) => excess(b) - excess(a)).slice(0, most);
      },
    };
  }

  /** Return the mean loss of all pairs at each distance. */
  function averageByDistance(columns, reach) {
    const [sums, counts] = [new Float64Array(reach + 1), new Float64Array(reach + 1)];
    columns.forEach((column, j) =>
      column.forEach(([later, loss]) => {
        sums[later - j] += loss;
        counts[later - j] += 1;
      }),
    );
    return sums.map((sum, distance) => sum / Math.max(1, counts[distance]));
  }

  /** Return the dependencies among the items from:to alone, counted from 0. */
  function slice(influence, from, to) {
    if (from === 0 && to >= influence.count) return influence;
    const inside = Array.from({ length: to - from }, (_, j) =>
      influence
        .of(from + j)
        .filter(([later]) => later < to)
        .map(([later, loss]) => [later - from, loss]),
    );
    return build(inside, influence.kept);
  }

  function fromRow(row, j) {
    const found = [];
    row.forEach((loss, place) => {
      if (loss !== null) found.push([j + 1 + place, loss]);
    });
    return found;
  }

  function fromPairs(flat) {
    const found = [];
    for (let at = 0; at < flat.length; at += 2) found.push([flat[at], flat[at + 1]]);
    return found;
  }

  function lossOf(column, i) {
    let low = 0;
    let high = column.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (column[middle][0] === i) return column[middle][1];
      if (column[middle][0] < i) low = middle + 1;
      else high = middle - 1;
    }
    return null;
  }

  /** The strongest losses, largest first. */
  function strongest(pairs, count) {
    return pairs
      .filter(([, loss]) => loss > 0)
      .sort((a, b) => b[1] - a[1])
      .slice(0, count);
  }

  return { open, slice, strongest };
})();
