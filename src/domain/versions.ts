/** A version as releases have it (Semantic Versioning, without build metadata). */
export const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** Orders versions such as 0.9.1, 0.10.0-rc.1 and 0.10.0 (Semantic Versioning, without build metadata). */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(/-(.*)/s));
  const byNumbers = compareParts(left?.[0] ?? '', right?.[0] ?? '');
  if (byNumbers !== 0) return byNumbers;
  const [preLeft, preRight] = [left?.[1], right?.[1]];
  if (preLeft === undefined || preRight === undefined)
    return Number(preLeft === undefined) - Number(preRight === undefined);
  return compareParts(preLeft, preRight);
}

function compareParts(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [mine = '', other = ''] = [left[at], right[at]];
    if (mine === other) continue;
    const areNumbers = /^\d+$/.test(mine) && /^\d+$/.test(other);
    if (areNumbers) return Number(mine) - Number(other);
    return mine < other ? -1 : 1;
  }
  return 0;
}
