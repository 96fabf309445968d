/** What a shopkeeper has to know of a payment at a glance; `seen` waits for confirmations. */
export type PaymentState =
  'waiting' | 'seen' | 'paid' | 'short' | 'reversed' | 'expired' | 'cancelled' | 'refunded';

export interface QrCode {
  readonly size: number;
  readonly path: string;
}

export interface ListedPayment {
  readonly id: string;
  readonly orderId: string;
  readonly state: PaymentState;
  readonly amount: string;
  readonly tip: string | null;
  readonly createdAt: string;
}

export interface CounterPayment extends ListedPayment {
  readonly received: string | null;
  readonly page: { readonly url: string; readonly qr: QrCode };
  readonly coins: readonly {
    readonly coin: string;
    readonly amount: string;
    readonly uri: string;
    readonly qr: QrCode;
  }[];
}

export interface Favourite {
  readonly priceId: string;
  readonly name: string;
  readonly amount: string;
}

export interface CounterDay {
  readonly shop: { readonly name: string; readonly sandbox: boolean; readonly timeZone: string };
  readonly counter: {
    readonly name: string;
    readonly currency: string;
    readonly fractionDigits: number;
    readonly tips: readonly number[];
    readonly favourites: readonly Favourite[];
  };
  readonly day: string;
  readonly total: { readonly count: number; readonly amount: string; readonly tips: string };
  readonly payments: readonly ListedPayment[];
}

export interface Charge {
  readonly amount?: string;
  readonly items?: readonly { readonly priceId: string; readonly quantity: number }[];
  readonly tip?: string;
}
