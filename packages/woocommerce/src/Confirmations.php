<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\InvalidRequestException;

defined('ABSPATH') || exit;

/** Makes payments with the confirmations that the shop asks for. */
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
