import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, json, prose } from '../../../src/http/docs/html.ts';
import { curl } from '../../../src/http/docs/samples/curl.ts';

const unescaped = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_all, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '',
  );

describe('html and json helpers of the API reference', () => {
  it('escape every inserted value exactly once', () => {
    const inner = html`<b title="${'"><script>'}">${"it's <&>"}</b>`;
    expect(html`${inner}${[inner]}`.text).toBe(inner.text + inner.text);
    expect(inner.text).toBe('<b title="&quot;&gt;&lt;script&gt;">it&#39;s &lt;&amp;&gt;</b>');
  });

  it('show any JSON unchanged, with syntax colours', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shown = unescaped(json(value).text.replaceAll(/<\/?i(?: class="[ksv]")?>/g, ''));
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('mark code between backticks', () => {
    expect(html`${prose('set `a<b` now')}`.text).toBe('set <code>a&lt;b</code> now');
  });
});

describe('curl examples of the API reference', () => {
  it('stay valid shell commands when the body contains a quote', () => {
    const command = curl({
      method: 'POST',
      url: 'http://x/y',
      credential: 'TOKEN',
      body: { name: "Alice's" },
    });
    expect(command).toContain(`"name": "Alice'\\''s"`);
    expect(command).toContain('-H "Authorization: Bearer $TOKEN"');
  });

  it('quote URLs with a query for the shell', () => {
    expect(curl({ method: 'GET', url: 'http://x/y?a=1&b=2', credential: null })).toBe(
      'curl "http://x/y?a=1&b=2"',
    );
  });
});
