import type { Browser, Locator, Page } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel. */
  readonly base64: string;
}

/** Runs in a page of its own: the browser decodes the picture itself. */
const READ_PIXELS = `async (source) => {
  const bytes = Uint8Array.from(atob(source), (letter) => letter.codePointAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const drawing = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  drawing.drawImage(bitmap, 0, 0);
  const { data } = drawing.getImageData(0, 0, bitmap.width, bitmap.height);
  let text = '';
  for (const byte of data) text += String.fromCodePoint(byte);
  return { width: bitmap.width, height: bitmap.height, base64: btoa(text) };
}`;

/** What a phone's camera would read off the screen: the QR code in a picture of the element. */
export async function readQr(code: Locator): Promise<string> {
  const png = await code.screenshot();
  const browser = code.page().context().browser();
  if (browser === null) throw new Error('the page has no browser');
  const { width, height, base64 } = await pixelsOf(browser, png);
  return decodeQR({ width, height, data: new Uint8Array(Buffer.from(base64, 'base64')) });
}

const readers = new WeakMap<Browser, Promise<Page>>();

async function pixelsOf(browser: Browser, png: Buffer): Promise<Pixels> {
  const reader = readers.get(browser) ?? browser.newPage();
  readers.set(browser, reader);
  return (await reader).evaluate<Pixels>(`(${READ_PIXELS})('${png.toString('base64')}')`);
}
