import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Body, Data } from '../../contract/contract.ts';
import { useAct, useShops } from '../../api/hooks.ts';
import type { Shop } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Button, Card, CopyLine, LINK, LINK_PRIMARY, PageTitle, Loaded } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { hostName } from '../../ui/host-name.ts';
import { Form } from '../../ui/whole-form.tsx';

export function ShopsPage() {
  const shops = useShops();
  const [open, setOpen] = useState(false);
  const create = useAct((body: Body<'POST', '/merchant/create'>) =>
    api('POST', '/merchant/create', { body }),
  );
  const { data } = create;
  const isFirst = shops.data?.merchants.length === 0;
  const close = (): void => {
    create.reset();
    setOpen(false);
  };
  return (
    <>
      <PageTitle
        title={t('Shops')}
        lead={t('Each shop has its own keys, wallet and payments.')}
        actions={
          !isFirst && (
            <Button look="primary" onClick={() => setOpen(true)}>
              {t('New shop')}
            </Button>
          )
        }
      />
      <Loaded of={shops}>
        {({ merchants }) =>
          merchants.length === 0 ? (
            <Card className="mx-auto max-w-lg" title={t('No shop yet')}>
              <p className="mb-4 text-sm text-soft">
                {t('Create your first one: it takes a name and a domain, and payments can be taken at once.')}
              </p>
              <ShopForm create={create} />
            </Card>
          ) : (
            <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
              {merchants.map((shop) => (
                <ShopCard key={shop.id} shop={shop} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Dialog
        title={data === undefined ? t('New shop') : t('Your shop is ready')}
        open={open || data !== undefined}
        onClose={close}
        keepsOpen={data !== undefined}
      >
        {data === undefined ? (
          <ShopForm create={create} />
        ) : (
          <NewKeys keys={data.merchant.auth}>
            <KeysStayWithYou shopId={data.merchant.id} onLeave={close} />
            <Link
              to="/shop/$shopId"
              params={{ shopId: data.merchant.id }}
              onClick={close}
              className={`${LINK_PRIMARY} justify-self-start`}
            >
              {t('Go to the shop')}
            </Link>
          </NewKeys>
        )}
      </Dialog>
    </>
  );
}

/** Before the first payment, an account of another wallet takes effect at once. */
function KeysStayWithYou({ shopId, onLeave }: { shopId: string; onLeave: () => void }) {
  return (
    <div className="grid gap-1.5 rounded-xl bg-well p-4 text-sm">
      <p className="font-semibold">{t('Keys stay with you')}</p>
      <p className="text-soft">
        {t(
          'Bitcoin and Litecoin can be paid directly to a wallet of your own, such as a hardware wallet. Its keys never reach this server. Set it up before the first payment, and it applies at once.',
        )}
      </p>
      <Link
        to="/shop/$shopId/wallet"
        params={{ shopId }}
        search={{ open: 'watch' }}
        onClick={onLeave}
        className={`${LINK} justify-self-start`}
      >
        {t('Set up a watch-only account')}
      </Link>
    </div>
  );
}

type Create = ReturnType<typeof useAct<Data<'POST', '/merchant/create'>, Body<'POST', '/merchant/create'>>>;

function ShopForm({ create }: { create: Create }) {
  const { error } = create;
  return (
    <Form
      fields={['name', 'domain', 'description']}
      submit={t('Create shop')}
      busy={create.isPending}
      error={error}
      onSubmit={({ domain, ...values }) => create.mutate({ ...values, domain: hostName(domain) })}
    >
      <Field label={t('Name')} name="name" maxLength={255} required />
      <Field
        label={t('Domain')}
        name="domain"
        placeholder="shop.example.com"
        hint={t('Payers see it, and whether it is verified')}
        required
      />
      <Field label={t('Description (optional)')} name="description" maxLength={255} />
    </Form>
  );
}

function ShopCard({ shop }: { shop: Shop }) {
  return (
    <li>
      <Link
        to="/shop/$shopId"
        params={{ shopId: shop.id }}
        className="grid h-full gap-3 rounded-2xl border border-line bg-card p-5 transition hover:border-accent"
      >
        <span className="text-lg font-semibold break-words">{shop.name}</span>
        <span className="text-sm break-all text-soft">{shop.domain}</span>
        <span className="flex flex-wrap gap-2">
          <Badge tone={shop.sandboxMode ? 'busy' : 'good'}>
            {shop.sandboxMode ? t('Sandbox') : t('Live')}
          </Badge>
          <Badge tone={shop.isVerified ? 'good' : 'warn'}>
            {shop.isVerified ? t('Domain verified') : t('Domain not verified')}
          </Badge>
        </span>
      </Link>
    </li>
  );
}

/** Both keys right after creation: the only time that the secret one is shown. */
export function NewKeys(props: { keys: { public: string; secret: string }; children?: React.ReactNode }) {
  return (
    <div className="grid gap-4">
      <div className="grid gap-1.5">
        <p className="text-sm font-medium">{t('Public key')}</p>
        <CopyLine text={props.keys.public} label={t('public key')} />
      </div>
      <div className="grid gap-1.5">
        <p className="text-sm font-medium">{t('Secret key')}</p>
        <CopyLine text={props.keys.secret} label={t('secret key')} />
        <p className="text-sm text-warn">{t('Copy it now. You won’t see it again.')}</p>
      </div>
      {props.children}
    </div>
  );
}
