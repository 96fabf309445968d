/** Whether a JSON value nests at most `limit` levels. Not recursive: a body can nest tens of thousands. */
export function isNestingWithin(root: object, limit: number): boolean {
  let level: object[] = [root];
  for (let depth = 0; depth < limit && level.length > 0; depth += 1) {
    level = level.flatMap((node) => Object.values(node).filter(isObject));
  }
  return level.length === 0;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
