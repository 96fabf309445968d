/** The known name that begins with this one, or is within a few typing errors of it; null if none is. */
export function closestMatch(name: string, known: readonly string[]): string | null {
  const limit = Math.max(2, Math.floor(name.length / 5));
  const ranked = known
    .map((candidate) => ({ candidate, slips: typos(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.slips - b.slips);
  const [best] = ranked;
  return best !== undefined && best.slips <= limit ? best.candidate : null;
}

function typos(name: string, candidate: string): number {
  return candidate.startsWith(name) ? 1 : editDistance(name, candidate);
}

/** Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      const replaced = (previous[column - 1] ?? 0) + same;
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
