const plain = new Intl.NumberFormat(undefined, { maximumFractionDigits: 18 });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Decimal text → what people read; exact, because Intl takes the text itself. */
export function coins(amount: string): string {
  return plain.format(amount as `${number}`);
}

export function fiat(amount: string, currency: string): string {
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount as `${number}`);
  } catch {
    return `${amount} ${currency}`;
  }
}

export function when(iso: string): string {
  return moment.format(new Date(iso));
}

export function short(text: string, start = 8, end = 6): string {
  return text.length <= start + end + 1 ? text : `${text.slice(0, start)}…${text.slice(-end)}`;
}

/** "payment.completed" → "Completed", "catching_up" → "Catching up". */
export function words(code: string): string {
  const text = (code.split('.').at(-1) ?? code).replaceAll(/[_-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
