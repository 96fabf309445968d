/** The types of image that a logo can be: those that hold no script. */
export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

const PNG = '\x89PNG\r\n\x1a\n';

/** Detects an image's type from its first bytes, whatever the upload claims; null if it cannot be a logo. */
export function detectLogoType(bytes: Uint8Array): LogoType | null {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  if (head.startsWith(PNG) && head.startsWith('IHDR', 12)) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  return head.startsWith('RIFF') && head.startsWith('WEBP', 8) ? 'image/webp' : null;
}

type Rgb = readonly [number, number, number];

/** An accent in one colour scheme: the fill, the text on the fill, and a muted background. Each `#rrggbb`. */
export interface Accent {
  readonly accent: string;
  readonly ink: string;
  readonly soft: string;
}

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** WCAG 2.2 AA for text. */
const READABLE = 4.5;
/** Colours of the payers' pages, as in their style sheet. */
interface Scheme {
  /** Background behind text in the accent: the darkest one on light pages, the lightest one on dark pages. */
  readonly ground: Rgb;
  readonly card: Rgb;
  /** The palest text colour, which also appears on the muted background. */
  readonly text: Rgb;
  /** Maximum share of the accent in its muted background. */
  readonly share: number;
}
const SCHEMES: Readonly<Record<'light' | 'dark', Scheme>> = {
  light: { ground: [0xf4, 0xf3, 0xef], card: WHITE, text: [0x5b, 0x66, 0x60], share: 0.1 },
  dark: { ground: [0x1e, 0x25, 0x22], card: [0x17, 0x1d, 0x1a], text: [0xa2, 0xad, 0xa7], share: 0.16 },
};

/**
 * Adjusts a shop's colour until it is readable: mixed with black on light pages and with white on dark ones,
 * by the least amount that gives text in it, and on it, WCAG AA contrast.
 * @param color `#rrggbb`
 */
export function readableAccent(color: string, scheme: 'light' | 'dark'): Accent {
  const wished = parse(color);
  const towards = scheme === 'light' ? BLACK : WHITE;
  const { ground } = SCHEMES[scheme];
  for (let share = 0; ; share += 0.02) {
    const accent = mix(wished, towards, Math.min(1, share));
    const soft = quietGround(accent, SCHEMES[scheme]);
    const isReadable = contrast(accent, ground) >= READABLE && contrast(accent, soft) >= READABLE;
    if (!isReadable && share < 1) continue;
    const ink = contrast(accent, WHITE) >= contrast(accent, BLACK) ? WHITE : BLACK;
    return { accent: text(accent), ink: text(ink), soft: text(soft) };
  }
}

/** Mixes in as much of the accent as leaves the palest text readable. */
function quietGround(accent: Rgb, { card, text: pale, share }: Scheme): Rgb {
  for (let part = share; part > 0; part -= 0.02) {
    const ground = mix(card, accent, part);
    if (contrast(pale, ground) >= READABLE) return ground;
  }
  return card;
}

/** Contrast ratio of two colours per WCAG 2.2, 1 to 21. */
export function contrastRatio(a: string, b: string): number {
  return contrast(parse(a), parse(b));
}

function contrast(a: Rgb, b: Rgb): number {
  const [one, other] = [luminance(a), luminance(b)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2): number => Math.round(from[at] + (to[at] - from[at]) * share);
  return [part(0), part(1), part(2)];
}

function parse(color: string): Rgb {
  const part = (at: number): number => Number.parseInt(color.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

function text(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
