import type { OpenApiDocument } from '../openapi/types.ts';
import { basics, errorTable } from './basics.ts';
import { endpointSection, findEndpoints } from './endpoint.ts';
import { html, prose, type Html } from './html.ts';
import { GUIDES, guideSection } from './guides/index.ts';
import { firstPayment } from './start.ts';
import { webhookSection } from './webhooks.ts';

export const STYLE_PATH = '/docs/style.css';

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230f6b4f'/%3E%3Cpath d='M9 11h14M16 11v12' stroke='%23fff' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E";

/** The whole reference as one page of plain HTML without external resources. Its script only adds comfort. */
export function renderDocs(document: OpenApiDocument, script: string | null): string {
  const baseUrl = document.servers[0]?.url ?? '';
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>tilld API</title>
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${STYLE_PATH}" />
        ${script === null ? null : html`<script type="module" src="${script}"></script>`}
      </head>
      <body>
        <a class="skip" href="#first-payment">To the content</a>
        <header>
          <a class="brand" href="#top">tilld <span>API ${document.info.version}</span></a>
          <a class="menu" href="#contents">Contents</a>
          <a class="raw" href="/openapi.json">openapi.json</a>
        </header>
        <div class="frame" id="top">
          <nav class="side" id="contents" aria-label="Contents">
            <a class="close" href="#top">Close</a>${tableOfContents(document)}
          </nav>
          <main>
            <section class="intro">
              <h1>Take Bitcoin, Litecoin, Ether and Solana on your own nodes</h1>
              <p class="lead">
                A JSON API over HTTPS at <code>${baseUrl}</code>. Also as
                <a href="/openapi.json">OpenAPI 3.1</a> for your tools.
              </p>
            </section>
            ${firstPayment(baseUrl)} ${GUIDES.map((guide) => guideSection(guide, baseUrl))} ${basics()}
            ${document.tags.map((tag) => tagSection(document, tag))} ${errorTable()}
          </main>
        </div>
      </body>
    </html> `;
  return page.text;
}

function tagSection(
  document: OpenApiDocument,
  tag: { readonly name: string; readonly description: string },
): Html {
  const endpoints = findEndpoints(document, tag.name).map((endpoint) => endpointSection(document, endpoint));
  return html`${tag.name === 'Webhooks' ? webhookSection(document) : null}
    <section id="${toAnchor(tag.name)}">
      <h2>${tag.name === 'Webhooks' ? 'Webhook endpoints' : tag.name}</h2>
      <p class="lead">${prose(tag.description)}</p>
      ${endpoints}
    </section>`;
}

function toAnchor(tag: string): string {
  return `tag-${tag.toLowerCase()}`;
}

function tableOfContents(document: OpenApiDocument): Html {
  const groups = document.tags.map(({ name }) => {
    const links = findEndpoints(document, name).map(
      ({ method, operation }) =>
        html`<li>
          <a href="#${operation.operationId}"
            ><b class="method ${method}">${method}</b> ${operation.summary}</a
          >
        </li>`,
    );
    return html`<p><a href="#${toAnchor(name)}">${name}</a></p>
      <ul>
        ${links}
      </ul>`;
  });
  return html`<p>Start</p>
    <ul>
      <li><a href="#first-payment">Your first payment</a></li>
      <li><a href="#basics">How the API works</a></li>
      <li><a href="#webhooks">Webhooks and signatures</a></li>
      <li><a href="#errors">Errors</a></li>
    </ul>
    <p>Guides</p>
    <ul>
      ${GUIDES.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
    ${groups}`;
}
