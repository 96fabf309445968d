import { operationId } from '../../openapi/operation.ts';
import { html, type Html } from '../html.ts';

/** One task from start to end, with requests that work as they stand. */
export interface Guide {
  readonly id: string;
  readonly title: string;
  readonly lead: string;
  /** @param baseUrl where the API of this server is */
  readonly body: (baseUrl: string) => Html;
}

/** A link to an endpoint of the reference, by its method and path. */
export function call(endpoint: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`): Html {
  const [method = '', path = ''] = endpoint.split(' ');
  return html`<a class="call" href="#${operationId({ method, path })}"><code>${endpoint}</code></a>`;
}

/** Text on one side, what it takes to do it on the other. */
export function step(title: string, text: Html, samples: Html | null = null): Html {
  return html`<div class="cols step">
    <div>
      <h3>${title}</h3>
      ${text}
    </div>
    ${samples === null ? null : html`<div>${samples}</div>`}
  </div>`;
}
