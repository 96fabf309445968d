import { operationId } from '../../openapi/operation.ts';
import { html, type Html } from '../html.ts';

/** One task from start to end, with requests that work unchanged. */
export interface Guide {
  readonly id: string;
  readonly title: string;
  readonly lead: string;
  /** @param baseUrl base URL of this server's API */
  readonly body: (baseUrl: string) => Html;
}

/** A link to an endpoint of the reference, by its method and path. */
export function call(endpoint: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`): Html {
  const [method = '', path = ''] = endpoint.split(' ');
  return html`<a class="call" href="#${operationId({ method, path })}"><code>${endpoint}</code></a>`;
}

/** Text on one side, the requests for it on the other. */
export function step(title: string, text: Html, samples: Html | null = null): Html {
  return html`<div class="cols step">
    <div>
      <h3>${title}</h3>
      ${text}
    </div>
    ${samples === null ? null : html`<div>${samples}</div>`}
  </div>`;
}
