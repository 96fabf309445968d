/** What people read, in English. `{name}` is filled in. */
export const en = {
  notes: {
    seen: 'Enough money was seen ({received}). It is not final yet: do not deliver.',
    paid: 'Paid, and final: {received}.',
    over: 'Paid, and more than asked: {received} came, asked was {asked}. The excess can be given back at tilld.',
    short: 'Too little came: {received}, asked was {asked}. The order waits for the rest.',
    late: 'Money came after the time was up: {received}, asked was {asked}. Decide at tilld whether you accept it.',
    lost: 'The payment ended without money.',
    gone: 'The money that was seen is gone again. The order waits for other money.',
    reversed:
      'The money of this order is gone after it was final (now there: {received}). Hold the delivery if it has not left.',
    refunded: 'The money was given back.',
    sandbox: 'This was simulated money: do not deliver.',
    not_placed: 'Money came, but the order could not be placed: {reason}. It is tried again.',
    paid_without_order:
      'Paid ({received}), but the cart has gone on without this payment. Give the money back at tilld.',
    paid_after_cancel: 'Paid ({received}) after the order was cancelled. Give the money back at tilld.',
    amount_differs:
      'The payment asks for {asked}, the order costs more: it is not taken as paid. The customer can change the cart back; otherwise give the money back at tilld.',
    not_cancelled: 'The order was not cancelled: {reason}',
    paid_twice:
      'Money came for this payment as well ({received}), though payment {other} has the money of the order. Give it back at tilld.',
    adopted: 'The money of payment {other} is gone: the order is paid by this payment now.',
    returned_elsewhere: '{amount} {currency} of this order was given back at tilld.',
    refund_open_less_fee:
      'Refund of {amount} {currency}, less the network fee: give the claim link to the customer. It is paid once they claimed it.',
    refund_open:
      'Refund of {amount} {currency}: give the claim link to the customer. It is paid once he claimed it.',
    refund_claimed: 'The customer claimed the refund of {amount} {currency}. Approve it at tilld.',
    refund_delayed:
      'The refund of {amount} {currency} cannot be sent at present, and is tried again: {reason}. If the wallet lacks the network fee, make a new link with the fee deducted, and give it to the customer.',
    refund_approved: 'The refund of {amount} {currency} is being sent.',
    refund_paid: 'The refund of {amount} {currency} is paid.',
    refund_expired:
      'Nobody claimed the refund of {amount} {currency} in time: nothing was paid. Make a new link.',
    refund_cancelled: 'The claim link of the refund of {amount} {currency} was cancelled: nothing was paid.',
    refund_nothing: 'Nothing to give back for the refund of {amount} {currency}: its money is gone.',
  },
  states: {
    waiting: 'waiting',
    seen: 'seen',
    paid: 'paid',
    short: 'too little',
    late: 'late',
    lost: 'no money',
    refunded: 'refunded',
    superseded: 'replaced by another payment',
  },
  page: {
    title: 'Payments by tilld',
    connect: 'Connect with tilld',
    connectAgain: 'Connect again',
    connected: 'The shop is connected to tilld. You can close this page.',
    denied: 'The shop was not connected: it was refused at tilld.',
    unknown: 'This is no answer to a request of this shop, or the request is too old. Begin again.',
    failed: 'The shop could not be connected.',
    yes: 'works',
    no: 'does not work',
    cannotSay: 'cannot be known now',
    daemon: 'Daemon',
    key: 'Key',
    webhook: 'Webhooks',
    node: 'Nodes',
    order: 'Order',
    claimLink: 'Claim link for the customer',
    renewLessFee: 'New link, network fee deducted',
    none: 'No payments yet.',
  },
};

export type Messages = typeof en;
