import type { Catalogue } from '../catalogue.ts';

/** What forms say of a wrong field, and notes of what was done. */
export const forms: Catalogue = {
  'Customer created': 'Client créé',
  'Customer saved': 'Client enregistré',
  'Please enter a JSON object.': 'Veuillez saisir un objet JSON.',
  'Payment link saved': 'Lien de paiement enregistré',
  'In live mode new payments of this shop are paid with real money.':
    'En mode réel, les nouveaux paiements de cette boutique sont réglés en argent réel.',
  'Passkey added': 'Clé d’accès ajoutée',
  'Passkey renamed': 'Clé d’accès renommée',
  'Passkey removed': 'Clé d’accès supprimée',
  'Payment cancelled': 'Paiement annulé',
  'Payment accepted': 'Paiement accepté',
  'Role changed': 'Rôle modifié',
  'Role changed. The webhook endpoints and keys that they made were deleted.':
    'Rôle modifié. Les points de terminaison webhook et les clés qu’elle avait créés ont été supprimés.',
  '{email} was removed': '{email} a été retiré',
  'Invitation withdrawn': 'Invitation retirée',
  'Product created': 'Produit créé',
  'Product saved': 'Produit enregistré',
  'Price added': 'Prix ajouté',
  'Price saved': 'Prix enregistré',
  'Product deleted': 'Produit supprimé',
  'Price deleted': 'Prix supprimé',
  'Delete price': 'Supprimer le prix',
  '{name} can no longer be paid for at {amount}. Payments made keep what they cost.':
    '{name} ne peut plus être payé à {amount}. Les paiements existants gardent leur prix.',
  'Refund link cancelled': 'Lien de remboursement annulé',
  'Refund link made': 'Lien de remboursement créé',
  'The refund is on its way': 'Le remboursement est en route',
  'Marked as refunded': 'Marqué comme remboursé',
  'Key deleted': 'Clé supprimée',
  'Session ended': 'Session terminée',
  'Endpoint saved': 'Point de terminaison enregistré',
  'Endpoint deleted': 'Point de terminaison supprimé',
  'Please fill this in.': 'Veuillez remplir ce champ.',
  'Please choose one.': 'Veuillez choisir une option.',
  'Please enter an amount such as {example}.': 'Veuillez saisir un montant tel que {example}.',
  'Please enter a number.': 'Veuillez saisir un nombre.',
  'Please enter a whole number.': 'Veuillez saisir un nombre entier.',
  'Please enter an address that begins with https://.':
    'Veuillez saisir une adresse commençant par https://.',
  '{limit} at least.': '{limit} au minimum.',
  '{limit} at most.': '{limit} au maximum.',
  'Please use at least {count} characters.': 'Veuillez utiliser au moins {count} caractères.',
  'This address is mistyped: please copy it once more.':
    'Cette adresse contient une faute de frappe : veuillez la copier à nouveau.',
  'This is taken already.': 'C’est déjà pris.',
  'Please use at most {count} characters.': 'Veuillez utiliser au plus {count} caractères.',
  'Please enter at most {count} of them.': 'Veuillez en saisir au plus {count}.',
  'Please leave line breaks and invisible characters out.':
    'Veuillez retirer les sauts de ligne et les caractères invisibles.',
  'This is no currency: please enter its three letters, such as EUR.':
    'Ce n’est pas une devise : veuillez saisir ses trois lettres, par exemple EUR.',
  'Please use at most {count} digits after the point.': 'Veuillez utiliser au plus {count} décimales.',
  'Please enter more than zero.': 'Veuillez saisir plus que zéro.',
  'This must not be below the least amount.': 'Ce montant ne peut pas être inférieur au minimum.',
  'Please enter a number from 0 to 5, with two digits after the point at most.':
    'Veuillez saisir un nombre de 0 à 5, avec deux décimales au plus.',
  'Please enter the name of your site, such as shop.example.com.':
    'Veuillez saisir le nom de votre site, par exemple shop.example.com.',
  'Please enter sites such as https://shop.example, without a path.':
    'Veuillez saisir des sites tels que https://shop.example, sans chemin.',
  'Please enter an e-mail address or a web address.':
    'Veuillez saisir une adresse e-mail ou une adresse web.',
  'Please leave user name and password out of the address.':
    'Veuillez retirer le nom d’utilisateur et le mot de passe de l’adresse.',
  'Please choose a time zone from the list, such as Europe/Berlin.':
    'Veuillez choisir un fuseau horaire de la liste, par exemple Europe/Paris.',
  'Please choose a day.': 'Veuillez choisir un jour.',
  'The last day must not be before the first one.': 'Le dernier jour ne peut pas précéder le premier.',
  'Please choose a time to come.': 'Veuillez choisir un moment à venir.',
  'Please choose a colour.': 'Veuillez choisir une couleur.',
  'Please choose a PNG, JPEG or WebP image of at most 64 KiB.':
    'Veuillez choisir une image PNG, JPEG ou WebP de 64 Kio au plus.',
  'Possible here: {list}.': 'Valeurs possibles : {list}.',
  'This password is guessed first: please choose another.':
    'Ce mot de passe est parmi les premiers devinés : veuillez en choisir un autre.',
  'This is no {name} address.': 'Ce n’est pas une adresse {name}.',
  'Please enter an e-mail address such as name@example.com.':
    'Veuillez saisir une adresse e-mail telle que nom@example.com.',
  Notes: 'Notifications',
  'This page could not be shown': 'Cette page n’a pas pu être affichée',
  'Are you online? Loading it once more may help.': 'Êtes-vous en ligne ? La recharger peut aider.',
  'Load again': 'Recharger',
  Dismiss: 'Masquer',
};
