import { encodeQR } from 'qr';

/**
 * Quiet zone in modules, as ISO/IEC 18004 requires: some scanners find no code with less, above all on dark
 * pages.
 */
const QUIET_ZONE = 4;

/** A QR code as the side of its square in modules, and one SVG path that draws every dark run. */
export function qrPath(text: string): { size: number; path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  let path = '';
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < row.length; x += 1) {
      if (row[x] !== true) continue;
      const start = x;
      while (row[x + 1] === true) x += 1;
      path += `M${start} ${y}h${x - start + 1}v1H${start}z`;
    }
  }
  return { size: rows.length, path };
}
