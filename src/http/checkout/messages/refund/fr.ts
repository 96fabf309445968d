import type { RefundMessages } from './en.ts';

export const refundFr: RefundMessages = {
  refundTitle: 'Remboursement de {amount} par {shop}',
  refundOf: 'Remboursement de',
  refundReason: 'Motif indiqué par la boutique : {reason}',
  refundIntro: '{shop} vous rend cet argent. Indiquez où l’envoyer.',
  refundChoose: 'Le recevoir en',
  refundAddress: 'Votre adresse',
  refundAddressHint:
    'Une adresse de votre propre portefeuille, pour la monnaie du remboursement. Copiez-la : ce qui est envoyé à une mauvaise adresse est perdu.',
  refundContinue: 'Continuer',
  refundUntil: 'Vous pouvez demander ce remboursement jusqu’au {date}.',
  refundApproval: 'La boutique examine votre demande avant d’envoyer l’argent.',
  refundFeeShop: 'La boutique paie les frais de réseau.',
  refundFeeYours: 'Les frais de réseau sont déduits du remboursement.',
  refundCheckTitle: 'Est-ce exact ?',
  refundCheckText:
    'Comparez l’adresse avec celle de votre portefeuille. Ce qui est envoyé ne peut pas être repris.',
  refundAmount: 'Remboursement',
  refundFee: 'Frais de réseau, environ',
  refundFeeUnknown: 'sont déduits du remboursement ; leur montant n’est pas connu pour le moment',
  refundArrives: 'Vous recevez',
  refundArrivesAbout: 'Vous recevez, environ',
  refundTo: 'À l’adresse',
  refundSendNow: 'Oui, l’envoyer là',
  refundAsk: 'Oui, demander à la boutique de l’envoyer',
  refundChange: 'Modifier',
  refundClaimedTitle: 'Demandé : la boutique l’examine',
  refundClaimedText:
    'Elle envoie ensuite l’argent. Vous n’avez plus rien à faire ; cette page montre ce qui se passe.',
  refundSendingTitle: 'Le remboursement est en cours d’envoi',
  refundSendingText:
    'Cela peut prendre quelques minutes, ou plus si le réseau est chargé. Vous n’avez plus rien à faire.',
  refundPaidTitle: 'Le remboursement est envoyé',
  refundPaidText: 'Le réseau l’a. Votre portefeuille ou plateforme l’affiche dès qu’il est confirmé.',
  refundExpiredTitle: 'Ce lien de remboursement a expiré',
  refundExpiredText: 'Il était valable jusqu’au {date}. Demandez-en un nouveau à la boutique.',
  refundCancelledTitle: 'La boutique a retiré ce remboursement',
  refundCancelledText:
    'Rien n’est envoyé par ce lien. Demandez à la boutique si vous ne vous y attendiez pas.',
  refundGoneTitle: 'Cet argent a été rendu autrement',
  refundGoneText: 'Il ne reste rien pour ce lien. Demandez à la boutique si vous ne l’avez pas reçu.',
  refundWaitingTitle: 'En attente de confirmations',
  refundWaitingText:
    'Le réseau doit d’abord confirmer suffisamment votre paiement. Un remboursement déjà demandé part ensuite tout seul : rien n’est perdu.',
  refundTaken: 'Votre demande n’a pas été prise en compte : ce remboursement ne peut plus être demandé.',
  refundReopened:
    'Votre remboursement n’a pas pu être envoyé. L’argent est toujours là : demandez-le à nouveau.',
  refundReopenedAmount:
    'Votre remboursement n’a pas pu être envoyé : le réseau n’achemine pas un montant si petit, ou ses frais sont plus élevés. Choisissez une autre monnaie s’il y en a une, ou demandez à la boutique.',
  refundReopenedAddress:
    'Votre remboursement n’a pas pu être envoyé : le réseau n’achemine pas d’argent vers cette adresse. Saisissez-en une autre.',
  refundAgain: 'Regarder à nouveau',
  refundNotFoundTitle: 'Ce remboursement n’existe pas',
  refundNotFoundText: 'Vérifiez que le lien est complet.',
  refundErrorText: 'Réessayez dans un instant. Votre remboursement est en sécurité.',
  refundSandbox: 'Remboursement de test : aucun argent réel n’est envoyé.',
  mistakeEmpty: 'Saisissez une adresse.',
  mistakeChoice: 'Choisissez l’une des monnaies.',
  mistakeCoin:
    'C’est une adresse {other}. Le remboursement est payé en {coin} : saisissez une adresse {coin}.',
  mistakeTestNetwork: 'C’est une adresse d’un réseau de test. Saisissez-en une du vrai réseau {coin}.',
  mistakeRealNetwork:
    'C’est une adresse du vrai réseau {coin}. Ce remboursement de test en demande une d’un réseau de test.',
  mistakeChecksum:
    'Cette adresse est mal saisie : sa somme de contrôle est fausse. Copiez-la de nouveau depuis votre portefeuille.',
  mistakeOwn: 'C’est une adresse de la boutique elle-même. Saisissez la vôtre.',
  mistakeMweb:
    'C’est une adresse MWEB, qui ne peut pas être payée d’ici. Saisissez une adresse Litecoin ordinaire.',
  mistakeInvalid: 'Ce n’est pas une adresse {coin}.',
  mistakeRefused: 'Le réseau n’achemine pas d’argent vers cette adresse. Saisissez-en une autre.',
  mistakeTooSmall:
    'Le montant est trop petit pour être envoyé en {coin} : le réseau ne l’achemine pas, ou ses frais sont plus élevés. Choisissez une autre monnaie ou demandez à la boutique.',
  mistakeUnavailable: '{coin} ne peut pas être envoyé pour le moment. Réessayez plus tard.',
  mistakeTooOften: 'Trop de tentatives. Réessayez dans une minute.',
};
