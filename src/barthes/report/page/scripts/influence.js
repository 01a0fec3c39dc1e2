"use strict";
/* Which sentence rests on which. Reads the two forms of the data: `columns` (all later sentences in a row) and
   `pairs` (later, loss, later, loss, … of the strongest only). */
Barthes.influence = (function () {
  /** {count, reach, scale, of(j), on(i)}; null where the method does not know. */
  function open(data) {
    if (!data) return null;
    const columns = (data.columns || data.pairs).map((column, j) =>
      data.columns ? fromRow(column, j) : fromPairs(column),
    );
    let reach = 0;
    const sizes = [];
    columns.forEach((column, j) =>
      column.forEach(([later, loss]) => {
        reach = Math.max(reach, later - j);
        sizes.push(Math.abs(loss));
      }),
    );
    sizes.sort((a, b) => a - b);
    return {
      count: columns.length,
      reach,
      kept: data.kept,
      /** Full shade: all but one in fifty losses are below it, so that one outlier does not leave others pale. */
      scale: sizes.length ? sizes[Math.ceil(0.98 * sizes.length) - 1] || sizes[sizes.length - 1] : 0,
      /** What later sentences lose without S_j: [[later, loss], …] in story order. */
      of: (j) => columns[j] || [],
      /** What S_i loses without each earlier sentence: [[earlier, loss], …]. */
      on: (i) => {
        const found = [];
        for (let j = Math.max(0, i - reach); j < i; j += 1) {
          const loss = lossOf(columns[j], i);
          if (loss !== null) found.push([j, loss]);
        }
        return found;
      },
    };
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

  return { open, strongest };
})();
