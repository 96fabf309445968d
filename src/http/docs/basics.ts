import { ERROR_CODES } from '../../domain/errors.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { ERROR_STATUS } from '../server/error-status.ts';
import { ERROR_TEXTS } from '../openapi/errors.ts';
import { SCOPE_TEXTS } from '../openapi/scopes.ts';
import { codeBlock, html, json, prose, type Html } from './html.ts';

const FAILURE = {
  success: false,
  error: {
    status: 400,
    code: 'VALIDATION_INVALID',
    message: 'email must be an e-mail address',
    details: [{ field: 'email', code: 'invalid_format', message: 'must be an e-mail address' }],
  },
  data: null,
};

/** Rules of every endpoint. */
export function basics(): Html {
  return html`<section id="basics">
    <h2>How the API works</h2>
    <div class="cols">
      <div>
        <h3 id="credentials">Credentials</h3>
        <p>
          Send one as <code>Authorization: Bearer &hellip;</code>. Each endpoint names those it takes. The
          details of a <code>401</code> name the problem of the credential: <code>missing</code>,
          <code>malformed</code>, <code>unknown</code>, <code>expired</code> or <code>wrong_kind</code>.
        </p>
        <dl class="plain">
          <dt>User token</dt>
          <dd>
            From register or login, for 24 hours. Where an endpoint is about a merchant, name it by
            <code>merchantId</code> in the query or the body.
          </dd>
          <dt>Secret key <code>sk_&hellip;</code></dt>
          <dd>Acts for its merchant. Only ever on your server.</dd>
          <dt>Restricted key <code>rk_&hellip;</code></dt>
          <dd>
            Acts for its merchant within its <a href="#scopes">scopes</a>, else <code>403 FORBIDDEN</code>.
            What you give to a shop or a program: create it in the dashboard or by
            <a href="#postMerchantKeysCreate">POST /merchant/keys/create</a>.
          </dd>
          <dt>Public key <code>pk_&hellip;</code></dt>
          <dd>Creates payments and reads what the payer may see. Safe in a web page.</dd>
        </dl>
        <h3 id="scopes">Scopes of restricted keys</h3>
        <p>A <code>write</code> scope includes the <code>read</code> scope of the same kind.</p>
        <dl class="plain">
          ${SCOPES.map(
            (scope) =>
              html`<dt><code>${scope}</code></dt>
                <dd>${prose(SCOPE_TEXTS[scope])}</dd>`,
          )}
        </dl>
        <h3>Formats</h3>
        <p>
          Bodies are JSON, at most 100 kB. Amounts are decimal strings, never numbers: no rounding on the way.
          Times are ISO 8601 in UTC. Fields the API does not know are ignored; in the sandbox, the header
          <code>X-Tilld-Ignored-Fields</code> names them. Ignore the fields that you do not know, as answers
          may grow.
        </p>
        <h3>Lists</h3>
        <p>
          Newest first. <code>page</code> counts from 1, <code>limit</code> is 10 unless given and at most
          100; <code>data.pagination</code> has the total.
        </p>
        <h3 id="idempotency">Repeating safely</h3>
        <p>
          Give any POST an <code>Idempotency-Key</code> of your own. The same request again is done once and
          gets the first answer with <code>Idempotent-Replayed: true</code>; another body with that key is
          <code>422 IDEMPOTENCY_MISMATCH</code>. A refusal such as <code>INSUFFICIENT_BALANCE</code> is an
          answer, too: take a new key to try again once things have changed. Keys are kept for 24 hours, those
          of sends and refunds for ever.
        </p>
        <h3>Support</h3>
        <p>
          Every answer has an <code>X-Request-Id</code>: with it the server&rsquo;s log tells what happened.
        </p>
      </div>
      <div class="samples">
        ${codeBlock('Every success', json({ success: true, error: null, data: { id: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE' } }))}
        ${codeBlock('Every failure', json(FAILURE))}
      </div>
    </div>
  </section>`;
}

/** Every error code, once. */
export function errorTable(): Html {
  const rows = ERROR_CODES.map(
    (code) =>
      html`<tr id="error-${code}">
        <td><code>${code}</code></td>
        <td class="num">${ERROR_STATUS[code]}</td>
        <td>${ERROR_TEXTS[code][0]}</td>
      </tr>`,
  );
  return html`<section id="errors">
    <h2>Errors</h2>
    <p class="lead">Decide by <code>error.code</code>; the message is for people and may change.</p>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Code</th>
            <th>Status</th>
            <th>Meaning</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </section>`;
}
