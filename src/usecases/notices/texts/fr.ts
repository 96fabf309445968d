import type { NoticeTexts } from './en.ts';

export const fr: NoticeTexts = {
  subjects: {
    paid: '{shop} : {order} est payé',
    underpaid: '{shop} : montant insuffisant pour {order}',
    late: '{shop} : l’argent pour {order} est arrivé en retard',
    refund_claimed: '{shop} : un remboursement de {order} attend votre accord',
    reversed: '{shop} : le paiement de {order} a été annulé',
    send_failed: '{shop} : un envoi de {coin} a échoué',
    refund_failed: '{shop} : un remboursement de {order} a échoué',
    refund_delayed: '{shop} : un remboursement de {order} ne peut pas encore être envoyé',
    send_stuck: '{shop} : un envoi de {coin} n’est pas confirmé',
    fee_limited: '{shop} : la limite de frais d’un envoi de {coin} est atteinte',
    webhook_gone: '{shop} : une adresse de webhook a été désactivée',
    webhook_failing: '{shop} : les webhooks n’arrivent pas',
    node_down: '{coin} sur {server} : le nœud est inutilisable',
    node_back: '{coin} sur {server} : le nœud fonctionne à nouveau',
    transactions_unread: '{coin} sur {server} : transactions illisibles',
    transactions_read: '{coin} sur {server} : toutes les transactions sont de nouveau lues',
    rates_unsure: '{server} : trop peu de sources de prix',
    rates_back: '{server} : de nouveau assez de sources de prix',
    backup_old: '{server} : la dernière sauvegarde est trop ancienne',
    backup_back: '{server} : il y a de nouveau une sauvegarde récente',
    replica_behind: '{server} : la réplique est en retard',
    replica_back: '{server} : la réplique est à jour',
  },
  bodies: {
    paid: 'La commande {order} ({price}) est payée et confirmée.',
    underpaid:
      'Le délai de paiement de la commande {order} ({price}) est écoulé et il est arrivé moins que demandé. Acceptez ce montant ou remboursez-le : rien ne se passe avant votre décision.',
    late: 'L’argent de la commande {order} ({price}) est arrivé après la fin du délai de paiement. Acceptez-le ou remboursez-le : rien ne se passe avant votre décision.',
    refund_claimed:
      'Le payeur de la commande {order} a demandé le remboursement et indiqué une adresse. Vérifiez-la et donnez votre accord : rien n’est envoyé avant.',
    reversed:
      'L’argent de la commande {order} ({price}), signalée comme payée, n’est plus dans la blockchain : il a été dépensé ailleurs ou perdu dans une réorganisation. Si vous n’avez pas encore livré, attendez.',
    send_failed:
      'Un envoi de {coin} depuis le portefeuille ne peut plus être confirmé. L’argent est toujours à vous.',
    refund_failed:
      'Un remboursement de la commande {order} ({price}) ne peut plus être confirmé. Le payeur n’a pas reçu l’argent.',
    refund_delayed:
      'Un remboursement demandé pour la commande {order} ({price}) ne peut pas être envoyé pour le moment : le portefeuille manque d’argent, ou les frais de réseau dépassent la limite. Il sera envoyé dès que cela change. Vous pouvez aussi l’annuler.',
    send_stuck:
      'Un envoi de {coin} depuis le portefeuille attend depuis des heures sa confirmation. Les frais sont peut-être trop bas : vous pouvez les augmenter.',
    fee_limited:
      'Un envoi de {coin} depuis le portefeuille attend depuis un jour, car ses frais de réseau devraient dépasser leur limite. tilld augmentera les frais dès qu’ils baisseront sur le réseau. Pour payer plus maintenant, augmentez les frais avec une limite plus élevée.',
    webhook_gone:
      'L’adresse de webhook chez {host} a répondu 410 Gone : plus rien n’y est envoyé. Si ce n’était pas voulu, enregistrez-la de nouveau.',
    webhook_failing:
      'Depuis une heure, aucun webhook n’a atteint l’adresse chez {host}. Votre boutique ignore peut-être des paiements. Les envois sont retentés pendant trois jours.',
    node_down:
      'Depuis quelque temps, tilld ne peut plus suivre {coin}. Jusqu’au retour du nœud, les paiements en {coin} ne sont pas détectés et aucun n’expire.',
    node_back: 'tilld suit de nouveau {coin}. Les paiements arrivés entre-temps sont détectés maintenant.',
    transactions_unread:
      'tilld n’a pas pu lire certaines transactions {coin}. Si l’une d’elles paie une commande, son argent n’est pas encore crédité ; tous les autres paiements le sont. tilld réessaie. La page d’état indique ces transactions et la raison : installez une version plus récente de tilld ou utilisez un autre nœud.',
    transactions_read:
      'tilld a lu les transactions {coin} qu’il ne pouvait pas lire. Les paiements qu’elles contiennent sont maintenant crédités.',
    rates_unsure:
      'Il ne reste qu’une source de prix, ou son prix a fait un bond. Une source seule ne peut déplacer un prix que lentement, et tilld ne crée pas de paiement au-delà de cette limite. La page d’état indique les monnaies et les sources.',
    rates_back: 'Au moins deux sources de prix concordent de nouveau.',
    backup_old:
      'La dernière sauvegarde de ce serveur est plus ancienne que permis. La page d’état et le journal en donnent la raison.',
    backup_back: 'La dernière sauvegarde de ce serveur est de nouveau récente.',
    replica_behind:
      'La réplique de ce serveur a plus de retard que permis. Si cette machine est perdue maintenant, il y manque les derniers paiements.',
    replica_back: 'La réplique de ce serveur est à jour.',
  },
  kinds: {
    paid: 'Chaque paiement reçu',
    decision: 'Paiements qui attendent une décision',
    refund_claim: 'Remboursements qui attendent un accord',
    reversed: 'Paiements annulés après coup',
    send: 'Envois et remboursements qui échouent ou restent bloqués',
    webhook: 'Webhooks qui n’arrivent pas',
    node: 'Nœuds',
    rates: 'Sources de prix',
    backup: 'Sauvegardes',
    replica: 'Réplique',
  },
  test: 'Test',
  reminder: 'Rappel',
  why: 'Vous recevez ce message parce que « {kind} » est activé pour {shop} sur {server}.',
  whyOperator: 'Vous recevez ce message en tant qu’opérateur de ce serveur.',
  whySummary: 'En une heure, il y a eu plus d’avis qu’il n’en est envoyé un par un.',
  switchOff: 'Désactiver ces messages',
  allSettings: 'Tous les avis',
  summarySubject: '{shop} : {count} autres avis',
  summaryBody: '{count} autres avis sur {shop} :',
  offTitle: 'Désactiver des messages',
  offQuestion: 'Ne plus recevoir de messages « {kind} » de {shop} ?',
  offButton: 'Les désactiver',
  offDone: 'Ces messages sont désactivés. Vous pouvez les réactiver sous « E-mails » dans la boutique.',
  offInvalid: 'Ce lien n’est pas valable. Désactivez les messages sous « E-mails » dans la boutique.',
};
