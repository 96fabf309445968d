import type { Messages } from './en';

export const fr: Messages = {
  notes: {
    seen: 'Assez d’argent a été vu ({received}). Il n’est pas encore définitif : ne livrez pas.',
    paid: 'Payé et définitif : {received}.',
    over: 'Payé, et plus que demandé : {received} reçus, {asked} demandés. L’excédent peut être rendu dans tilld.',
    short: 'Trop peu est arrivé : {received}, {asked} demandés. La commande attend le reste.',
    late: 'De l’argent est arrivé hors délai : {received}, {asked} demandés. Décidez dans tilld si vous l’acceptez.',
    lost: 'Le paiement s’est terminé sans argent.',
    gone: 'L’argent qui avait été vu a disparu. La commande attend un autre versement.',
    reversed:
      'L’argent de cette commande a disparu après avoir été définitif (reste : {received}). Retenez la livraison si elle n’est pas partie.',
    refunded: 'L’argent a été rendu.',
    sandbox: 'C’était de l’argent simulé : ne livrez pas.',
    not_placed:
      'De l’argent est arrivé, mais la commande n’a pas pu être passée : {reason}. Nouvel essai à suivre.',
    paid_without_order:
      'Payé ({received}), mais le panier a continué sans ce paiement. Rendez l’argent dans tilld.',
    paid_after_cancel: 'Payé ({received}) après l’annulation de la commande. Rendez l’argent dans tilld.',
    amount_differs:
      'Le paiement demande {asked}, la commande coûte plus : elle n’est pas considérée comme payée. Le client peut rétablir son panier ; sinon, rendez l’argent dans tilld.',
    not_cancelled: 'La commande n’a pas été annulée : {reason}',
    paid_twice:
      'De l’argent est aussi arrivé pour ce paiement ({received}), alors que le paiement {other} a l’argent de la commande. Rendez-le dans tilld.',
    adopted: 'L’argent du paiement {other} a disparu : la commande est désormais payée par ce paiement.',
    returned_elsewhere: '{amount} {currency} de cette commande ont été rendus dans tilld.',
    refund_open_less_fee:
      'Remboursement de {amount} {currency} moins les frais de réseau : donnez le lien au client. Il est payé dès qu’il l’a réclamé.',
    refund_open:
      'Remboursement de {amount} {currency} : donnez le lien au client. Il est payé une fois réclamé.',
    refund_claimed: 'Le client a réclamé le remboursement de {amount} {currency}. Approuvez-le dans tilld.',
    refund_delayed:
      'Le remboursement de {amount} {currency} ne peut pas être envoyé pour l’instant et sera réessayé : {reason}. S’il manque au portefeuille les frais de réseau, créez un nouveau lien qui les déduit et donnez-le au client.',
    refund_approved: 'Le remboursement de {amount} {currency} est en cours d’envoi.',
    refund_paid: 'Le remboursement de {amount} {currency} est payé.',
    refund_expired:
      'Personne n’a réclamé à temps le remboursement de {amount} {currency} : rien n’a été payé. Créez un nouveau lien.',
    refund_cancelled: 'Le lien du remboursement de {amount} {currency} a été annulé : rien n’a été payé.',
    refund_nothing: 'Rien à rendre pour le remboursement de {amount} {currency} : son argent a disparu.',
  },
  states: {
    waiting: 'en attente',
    seen: 'vu',
    paid: 'payé',
    short: 'insuffisant',
    late: 'tardif',
    lost: 'sans argent',
    refunded: 'remboursé',
    superseded: 'remplacé par un autre paiement',
  },
  page: {
    title: 'Paiements par tilld',
    connect: 'Connecter à tilld',
    connectAgain: 'Reconnecter',
    connected: 'La boutique est connectée à tilld. Vous pouvez fermer cette page.',
    denied: 'La boutique n’a pas été connectée : refusé dans tilld.',
    unknown: 'Ceci ne répond à aucune demande de cette boutique, ou elle est trop ancienne. Recommencez.',
    failed: 'La boutique n’a pas pu être connectée.',
    yes: 'fonctionne',
    no: 'ne fonctionne pas',
    cannotSay: 'inconnu pour le moment',
    daemon: 'Service',
    key: 'Clé',
    webhook: 'Webhooks',
    node: 'Nœuds',
    order: 'Commande',
    claimLink: 'Lien de remboursement pour le client',
    renewLessFee: 'Nouveau lien, frais de réseau déduits',
    none: 'Pas encore de paiement.',
  },
};
