import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useShop } from './hooks.ts';

export type Mode = 'live' | 'sandbox';

interface ModeInView {
  /** The mode that pages show: the one in the address, else the shop's. Undefined until that is known. */
  readonly viewed: Mode | undefined;
  /** Whether the shop itself is in the other mode: then no action here may move money. */
  readonly isOther: boolean;
  /** Shows the mode on this page, or on the list of payments if the page is about one of them. */
  readonly choose: (mode: Mode) => void;
  /** Shows the mode on this page. */
  readonly follow: (mode: Mode) => void;
}

/** Test or live, as a view: it is part of the address, is kept between pages, and changes nothing. */
export function useMode(): ModeInView {
  const { mode: requestedMode }: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const { shopId, paymentId } = useParams({ strict: false });
  const shop = useShop();
  const navigate = useNavigate();
  const current = shop === undefined ? undefined : shop.sandboxMode ? 'sandbox' : 'live';
  const viewed = requestedMode === 'live' || requestedMode === 'sandbox' ? requestedMode : current;
  const searchFor = (mode: Mode) => ({ page: undefined, mode: mode === current ? undefined : mode });
  const follow = (mode: Mode): void => {
    const search = (before: object): object => ({ ...before, ...searchFor(mode) });
    void navigate({ to: '.', search, replace: true });
  };
  return {
    viewed,
    isOther: current !== undefined && viewed !== current,
    follow,
    choose: (mode) => {
      if (shopId === undefined || paymentId === undefined) follow(mode);
      else void navigate({ to: '/shop/$shopId/payments', params: { shopId }, search: searchFor(mode) });
    },
  };
}

/** Switches the view to the mode of a page's subject. */
export function useFollowMode({ sandbox }: { readonly sandbox: boolean }): void {
  const { viewed, follow } = useMode();
  const mode = sandbox ? 'sandbox' : 'live';
  const differs = viewed !== undefined && viewed !== mode;
  useEffect(() => {
    if (differs) follow(mode);
  });
}
