/** Quotes a text for a CSV file (RFC 4180), and neutralises one that a spreadsheet would run as a formula (CSV injection). */
export function escapeCsvCell(value: string): string {
  const safe = /^\s*[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
