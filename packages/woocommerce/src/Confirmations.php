<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\InvalidRequestException;

defined('ABSPATH') || exit;

/** Makes and changes payments with the confirmations that the shop asks for. */
final class Confirmations
{
    /**
     * What is fewer than tilld requires for the amount is left out: then its own number holds, which is higher.
     *
     * @param string $key of idempotency, for the body without confirmations
     */
    public static function create(array $body, string $key): array
    {
        $asked = PaymentSettings::confirmations();
        while (true) {
            try {
                $more = $asked === [] ? [] : ['confirmations' => $asked];
                $suffix = $asked === [] ? '' : '-' . http_build_query($asked, '', '-');
                return Connection::client(2)->payments->create($body + $more, ['idempotencyKey' => $key . $suffix]);
            } catch (InvalidRequestException $error) {
                $coin = self::refusedIn($error);
                if ($coin === null || !isset($asked[$coin])) {
                    throw $error;
                }
                Log::warning("confirmations of {$coin} below those of tilld; its own hold for {$body['orderId']}", $error);
                unset($asked[$coin]);
            }
        }
    }

    /**
     * Changes a payment.
     *
     * @param array $body paymentId and what is changed
     * @return ?array null: at its new price tilld requires more confirmations than it was made with, so that it is cancelled
     *                and another is needed
     */
    public static function update(array $body): ?array
    {
        try {
            return Connection::client()->payments->update($body);
        } catch (InvalidRequestException $error) {
            if (self::refusedIn($error) === null) {
                throw $error;
            }
            Connection::client()->payments->cancel(['paymentId' => $body['paymentId']]);
            return null;
        }
    }

    private static function refusedIn(InvalidRequestException $error): ?string
    {
        foreach ($error->details ?? [] as $problem) {
            if (preg_match('/^confirmations\.([A-Z]+)$/', (string) ($problem['field'] ?? ''), $parts) === 1) {
                return $parts[1];
            }
        }
        return null;
    }
}
