/** Those of the fields whose value is not the stored one: what is not changed needs no proof and is not sent. */
export function changedFields<T extends object>(given: T, stored: object): Partial<T> {
  const entries = Object.entries(given).filter(([name, value]) => {
    const before: unknown = Reflect.get(stored, name);
    return value !== (before === null ? '' : before);
  });
  return Object.fromEntries(entries) as Partial<T>;
}
