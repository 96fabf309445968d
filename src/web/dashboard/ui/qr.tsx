import { encodeQR } from 'qr';

/** A QR code drawn as one SVG path. */
export function Qr(props: { text: string; label: string }) {
  const rows = encodeQR(props.text, 'raw', { ecc: 'medium', border: 2 });
  const path = rows
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg
      role="img"
      aria-label={props.label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      className="mx-auto w-52 rounded-xl bg-white p-1"
    >
      <path d={path} fill="#111" />
    </svg>
  );
}
