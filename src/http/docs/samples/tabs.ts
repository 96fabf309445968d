import { codeBlock, html, type Html } from '../html.ts';
import { curl } from './curl.ts';
import { node } from './node.ts';
import { php } from './php.ts';
import type { SampleRequest } from './request.ts';

const LANGUAGES: readonly (readonly [language: string, write: (request: SampleRequest) => string])[] = [
  ['curl', curl],
  ['Node.js', node],
  ['PHP', php],
];

/** One request in every language: one below the other, until the script of the page turns them into tabs. */
export function requestSamples(request: SampleRequest): Html {
  return codeInLanguages(LANGUAGES.map(([language, write]) => [language, write(request)] as const));
}

/** The same program in several languages. */
export function codeInLanguages(samples: readonly (readonly [language: string, code: string])[]): Html {
  const panels = samples.map(([language, code]) => html`<div>${codeBlock(language, code)}</div>`);
  return html`<div class="languages">${panels}</div>`;
}
