type Child = Node | string | null | false;
type Attributes = Readonly<Record<string, string | boolean | null | (() => void)>>;

/** An element with attributes, `on…` listeners without arguments, and children. Texts are never read as HTML. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string') element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/** A square image of one path, in units of its side. */
export function svgSquare(
  side: number,
  path: string,
  attributes: Readonly<Record<string, string>>,
): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${side} ${side}`);
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  const drawn = document.createElementNS(SVG, 'path');
  drawn.setAttribute('d', path);
  svg.append(drawn);
  return svg;
}

/** Announces a text to screen readers. */
export function announce(text: string): void {
  const status = document.querySelector('#status');
  if (status !== null && status.textContent !== text) status.textContent = text;
}
