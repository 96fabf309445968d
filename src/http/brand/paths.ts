/** Path of a logo, by the hash of its bytes. */
export function logoPath(hash: string): string {
  return `/brand/logo/${hash}`;
}

/** The style sheet of a colour. @param color `#rrggbb` */
export function brandStyle(color: string): string {
  return `/brand/${color.slice(1)}.css`;
}
