/** A positive number from the environment. @throws if it is not one */
export function numberFrom(name: string, fallback: number): number {
  const text = process.env[name] ?? '';
  const value = text === '' ? fallback : Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new Error(`${name} must be a number above 0, not '${text}'`);
  return value;
}

/** The URL of a node. @throws if it is missing */
export function urlFrom(name: string): string {
  const url = process.env[name] ?? '';
  if (!URL.canParse(url)) throw new Error(`${name} must be the address of a node`);
  return url;
}
