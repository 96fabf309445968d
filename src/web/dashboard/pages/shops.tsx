import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import type { Body } from '../api/contract.ts';
import { useAct, useShops } from '../api/hooks.ts';
import type { Shop } from '../api/types.ts';
import { t } from '../i18n/t.ts';
import { Badge, Button, CopyLine, Empty, PageTitle, Shown } from '../ui/basics.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, fieldError, Form } from '../ui/form.tsx';

export function ShopsPage() {
  const shops = useShops();
  const [open, setOpen] = useState(false);
  return (
    <>
      <PageTitle
        title={t('Shops')}
        lead={t('Each shop has its own keys, wallet and payments.')}
        actions={
          <Button look="primary" onClick={() => setOpen(true)}>
            {t('New shop')}
          </Button>
        }
      />
      <Shown of={shops}>
        {({ merchants }) =>
          merchants.length === 0 ? (
            <div className="rounded-2xl border border-dashed border-line">
              <Empty title={t('No shop yet')}>
                {t('Create your first one: it takes a name and a domain, and payments can be taken at once.')}
              </Empty>
            </div>
          ) : (
            <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
              {merchants.map((shop) => (
                <ShopCard key={shop.id} shop={shop} />
              ))}
            </ul>
          )
        }
      </Shown>
      <NewShop open={open} onClose={() => setOpen(false)} />
    </>
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

function NewShop({ open, onClose }: { open: boolean; onClose: () => void }) {
  const create = useAct((body: Body<'POST', '/merchant/create'>) =>
    api('POST', '/merchant/create', { body }),
  );
  const { error, data } = create;
  const close = (): void => {
    create.reset();
    onClose();
  };
  return (
    <Dialog
      title={data === undefined ? t('New shop') : t('Your shop is ready')}
      open={open}
      onClose={close}
      keepsOpen={data !== undefined}
    >
      {data === undefined ? (
        <Form
          fields={['name', 'domain', 'description']}
          submit={t('Create shop')}
          busy={create.isPending}
          error={error}
          onSubmit={(values) => create.mutate(values)}
        >
          <Field label={t('Name')} name="name" maxLength={255} required {...fieldError(error, 'name')} />
          <Field
            label={t('Domain')}
            name="domain"
            placeholder="shop.example.com"
            hint={t('Payers see it, and whether it is verified')}
            required
            {...fieldError(error, 'domain')}
          />
          <Field label={t('Description (optional)')} name="description" maxLength={255} />
        </Form>
      ) : (
        <NewKeys keys={data.merchant.auth}>
          <Link
            to="/shop/$shopId"
            params={{ shopId: data.merchant.id }}
            onClick={close}
            className="inline-flex min-h-10 items-center rounded-xl bg-accent px-4 text-sm font-semibold text-accent-ink"
          >
            {t('Go to the shop')}
          </Link>
        </NewKeys>
      )}
    </Dialog>
  );
}

/** Both keys right after they were made: the only time the secret one is shown. */
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
        <p className="text-sm text-warn">{t('Keep it now: it is shown this once only.')}</p>
      </div>
      {props.children}
    </div>
  );
}
