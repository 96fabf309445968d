import type en from '../../../locales/counter/en.json';
import { interpolate, type Values } from '../../i18n/interpolate.ts';

export type CounterText = keyof typeof en;

const element = document.querySelector('#texts');
const texts = JSON.parse(element?.textContent ?? '{}') as Readonly<Record<CounterText, string>>;

/** The language of the page, from the daemon. */
export const LANGUAGE = document.documentElement.lang;

/** A text in that language. */
export function say(key: CounterText, values: Values = {}): string {
  return interpolate(texts[key], values);
}
