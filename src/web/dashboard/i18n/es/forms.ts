import type { Catalogue } from '../catalogue.ts';

/** What forms say of a wrong field, and notes of what was done. */
export const forms: Catalogue = {
  'Customer created': 'Cliente creado',
  'Customer saved': 'Cliente guardado',
  'Please enter a JSON object.': 'Introduzca un objeto JSON.',
  'Payment link saved': 'Enlace de pago guardado',
  'In live mode new payments of this shop are paid with real money.':
    'En el modo real, los nuevos pagos de esta tienda se hacen con dinero real.',
  'Passkey added': 'Clave de acceso añadida',
  'Passkey renamed': 'Clave de acceso renombrada',
  'Passkey removed': 'Clave de acceso eliminada',
  'Payment cancelled': 'Pago cancelado',
  'Payment accepted': 'Pago aceptado',
  'Role changed': 'Rol cambiado',
  'Role changed. The webhook endpoints and keys that they made were deleted.':
    'Rol cambiado. Se eliminaron los endpoints de webhooks y las claves que creó.',
  '{email} was removed': 'Se ha quitado a {email}',
  'Invitation withdrawn': 'Invitación retirada',
  'Product created': 'Producto creado',
  'Product saved': 'Producto guardado',
  'Price added': 'Precio añadido',
  'Price saved': 'Precio guardado',
  'Product deleted': 'Producto eliminado',
  'Price deleted': 'Precio eliminado',
  'Delete price': 'Eliminar el precio',
  '{name} can no longer be paid for at {amount}. Payments made keep what they cost.':
    '{name} ya no se podrá pagar por {amount}. Los pagos hechos conservan su precio.',
  'Refund link cancelled': 'Enlace de reembolso cancelado',
  'Refund link made': 'Enlace de reembolso creado',
  'The refund is on its way': 'El reembolso está en camino',
  'Marked as refunded': 'Marcado como reembolsado',
  'Key deleted': 'Clave eliminada',
  'Session ended': 'Sesión cerrada',
  'Endpoint saved': 'Endpoint guardado',
  'Endpoint deleted': 'Endpoint eliminado',
  'Please fill this in.': 'Rellene este campo.',
  'Please choose one.': 'Elija una opción.',
  'Please enter an amount such as {example}.': 'Introduzca un importe como {example}.',
  'Please enter a number.': 'Introduzca un número.',
  'Please enter a whole number.': 'Introduzca un número entero.',
  'Please enter an address that begins with https://.': 'Introduzca una dirección que empiece por https://.',
  '{limit} at least.': 'Como mínimo {limit}.',
  '{limit} at most.': 'Como máximo {limit}.',
  'Please use at least {count} characters.': 'Use al menos {count} caracteres.',
  'This address is mistyped: please copy it once more.': 'Esta dirección tiene una errata: cópiela de nuevo.',
  'This is taken already.': 'Ya está en uso.',
  'Please use at most {count} characters.': 'Use como máximo {count} caracteres.',
  'Please enter at most {count} of them.': 'Introduzca como máximo {count}.',
  'Please leave line breaks and invisible characters out.':
    'Quite los saltos de línea y los caracteres invisibles.',
  'This is no currency: please enter its three letters, such as EUR.':
    'No es una moneda: introduzca sus tres letras, como EUR.',
  'Please use at most {count} digits after the point.': 'Use como máximo {count} decimales.',
  'Please enter more than zero.': 'Introduzca un valor mayor que cero.',
  'This must not be below the least amount.': 'No puede ser inferior al importe mínimo.',
  'Please enter a number from 0 to 5, with two digits after the point at most.':
    'Introduzca un número de 0 a 5, con dos decimales como máximo.',
  'Please enter the name of your site, such as shop.example.com.':
    'Introduzca el nombre de su sitio, como shop.example.com.',
  'Please enter sites such as https://shop.example, without a path.':
    'Introduzca sitios como https://shop.example, sin ruta.',
  'Please enter an e-mail address or a web address.':
    'Introduzca una dirección de correo o una dirección web.',
  'Please leave user name and password out of the address.':
    'Quite el usuario y la contraseña de la dirección.',
  'Please choose a time zone from the list, such as Europe/Berlin.':
    'Elija una zona horaria de la lista, como Europe/Madrid.',
  'Please choose a day.': 'Elija un día.',
  'The last day must not be before the first one.': 'El último día no puede ser anterior al primero.',
  'Please choose a time to come.': 'Elija un momento futuro.',
  'Please choose a colour.': 'Elija un color.',
  'Please choose a PNG, JPEG or WebP image of at most 64 KiB.':
    'Elija una imagen PNG, JPEG o WebP de 64 KiB como máximo.',
  'Possible here: {list}.': 'Valores posibles: {list}.',
  'This password is guessed first: please choose another.':
    'Esta contraseña es de las primeras que se adivinan: elija otra.',
  'This is no {name} address.': 'No es una dirección de {name}.',
  'Please enter an e-mail address such as name@example.com.':
    'Introduzca una dirección de correo como nombre@example.com.',
  Notes: 'Avisos',
  'This page could not be shown': 'No se ha podido mostrar esta página',
  'Are you online? Loading it once more may help.': '¿Tiene conexión? Quizá ayude cargarla de nuevo.',
  'Load again': 'Cargar de nuevo',
  Dismiss: 'Descartar',
};
