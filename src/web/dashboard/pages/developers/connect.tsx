import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Data } from '../../contract/contract.ts';
import { useAct, useApi, useShops } from '../../api/hooks.ts';
import { useFilters } from '../../api/search.ts';
import type { Shop } from '../../contract/types.ts';
import { parts, t } from '../../i18n/t.ts';
import { Button, Empty, LINK, Problem, Loaded } from '../../ui/basics.tsx';
import { Check, Select } from '../../ui/form.tsx';
import { ScopeList, SendWarning } from '../../ui/scopes.tsx';
import { SignedInGate } from '../sign-in/signed-in-gate.tsx';

type ConnectRequest = Data<'GET', '/connect/request'>;

/** Where an application sends the owner to request a key. Shows and confirms the server's reading, not the address. */
export function ConnectPage() {
  const [{ name, scopes, redirectUrl, state, codeChallenge }] = useFilters();
  const parameters = { name, scopes, redirectUrl, state, codeChallenge };
  const request = useApi('/connect/request', parameters);
  const shops = useShops();
  return (
    <SignedInGate title={t('Connect a shop')}>
      {request.error === null || request.data !== undefined ? (
        <Loaded of={request}>
          {(data) => (
            <Loaded of={shops}>
              {({ merchants }) => (
                <Consent
                  request={data}
                  shops={merchants.filter(({ role }) => role === 'owner')}
                  state={state ?? ''}
                  codeChallenge={codeChallenge ?? ''}
                />
              )}
            </Loaded>
          )}
        </Loaded>
      ) : (
        <div className="grid gap-3">
          <Problem error={request.error} />
          <p className="text-sm text-soft">
            {t('The link that brought you here is not valid. No key was created. You can close this page.')}
          </p>
        </div>
      )}
    </SignedInGate>
  );
}

interface ConsentProps {
  readonly request: ConnectRequest;
  readonly shops: readonly Shop[];
  readonly state: string;
  readonly codeChallenge: string;
}

function Consent({ request, shops, state, codeChallenge }: ConsentProps) {
  const { name, scopes, redirectUrl, redirectHost, deniedUrl } = request;
  const [chosen, setChosen] = useState(shops.length === 1 ? (shops[0]?.id ?? '') : '');
  const [knows, setKnows] = useState(false);
  const sends = scopes.includes('wallet:send');
  const approve = useAct(
    () =>
      api('POST', '/connect/approve', {
        body: { merchantId: chosen, name, scopes, redirectUrl, state, codeChallenge },
      }),
    ({ redirectTo }) => window.location.replace(redirectTo),
  );
  const isGone = approve.isSuccess;
  return (
    <div className="grid gap-5">
      <Asker request={request} />
      <ShopChoice shops={shops} chosen={chosen} onChoose={setChosen} />
      {sends && (
        <>
          <SendWarning />
          <Check
            label={t('I want it to be able to send all coins of this shop')}
            checked={knows}
            onChange={(event) => setKnows(event.target.checked)}
          />
        </>
      )}
      <p className="text-sm text-warn">
        {t(
          'Agree only if you began this in your shop yourself, and {redirectHost} is where it is. You can delete the key at any time under API keys.',
          { redirectHost },
        )}
      </p>
      {approve.error !== null && <Problem error={approve.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          busy={approve.isPending || isGone}
          disabled={chosen === '' || (sends && !knows)}
          onClick={() => approve.mutate()}
        >
          {t('Agree')}
        </Button>
        <Button disabled={approve.isPending || isGone} onClick={() => window.location.replace(deniedUrl)}>
          {t('Refuse')}
        </Button>
      </div>
    </div>
  );
}

/** The application and the scopes that it requests. */
function Asker({ request }: { request: ConnectRequest }) {
  const { name, scopes, redirectHost } = request;
  return (
    <>
      <p className="text-sm">
        {parts('{host} asks for a key to one of your shops. It calls itself {name}.', {
          host: <b className="font-semibold wrap-anywhere">{redirectHost}</b>,
          name: <bdi className="break-words">“{name}”</bdi>,
        })}
      </p>
      <section className="grid gap-3 rounded-xl border border-line bg-well p-4">
        <h2 className="text-sm font-semibold">{t('With this key it can')}</h2>
        <ScopeList scopes={scopes} />
        {!scopes.includes('wallet:send') && (
          <p className="text-sm text-soft">{t('It cannot send coins from your wallet.')}</p>
        )}
      </section>
    </>
  );
}

function ShopChoice(props: { shops: readonly Shop[]; chosen: string; onChoose: (id: string) => void }) {
  const { shops, chosen, onChoose } = props;
  return shops.length === 0 ? (
    <Empty title={t('You have no shop yet')}>
      {parts('{link} and begin again.', {
        link: (
          <Link to="/shops" className={LINK}>
            {t('Create one')}
          </Link>
        ),
      })}
    </Empty>
  ) : (
    <Select label={t('Shop')} value={chosen} onChange={(event) => onChoose(event.target.value)} required>
      {shops.length > 1 && <option value="">{t('Choose a shop')}</option>}
      {shops.map((shop) => (
        <option key={shop.id} value={shop.id}>
          {shop.name} ({shop.domain})
        </option>
      ))}
    </Select>
  );
}
