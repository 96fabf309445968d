/** The fields whose value differs from the stored one: unchanged ones need no step-up and are not sent. */
export function changedFields<T extends object>(given: T, stored: object): Partial<T> {
  const entries = Object.entries(given).filter(([name, value]) => {
    const before: unknown = Reflect.get(stored, name);
    return value !== (before === null ? '' : before);
  });
  return Object.fromEntries(entries) as Partial<T>;
}
