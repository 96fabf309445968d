/** What this device keeps: its token, the open payment and the last coin. A private window may keep nothing. */
const NAMES = { token: 'tilld-counter-token', payment: 'tilld-counter-payment', coin: 'tilld-counter-coin' };
type Kept = keyof typeof NAMES;

const memory = new Map<Kept, string>();

export function recall(name: Kept): string | null {
  try {
    return window.localStorage.getItem(NAMES[name]);
  } catch {
    return memory.get(name) ?? null;
  }
}

export function keep(name: Kept, value: string | null): void {
  if (value === null) memory.delete(name);
  else memory.set(name, value);
  try {
    if (value === null) window.localStorage.removeItem(NAMES[name]);
    else window.localStorage.setItem(NAMES[name], value);
  } catch {
    // It is kept until the page closes.
  }
}
