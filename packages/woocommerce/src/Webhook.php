<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\Tilld;
use Tilld\WebhookException;

defined('ABSPATH') || exit;

/** Answers tilld's webhooks: 2xx only for what was done, so that everything else is sent again. */
final class Webhook
{
    public const SEEN = 'tilld_last_webhook';

    public static function answer(): void
    {
        nocache_headers();
        [$status, $text] = self::handle((string) file_get_contents('php://input'), $_SERVER);
        status_header($status);
        header('Content-Type: text/plain; charset=utf-8');
        echo esc_html($text);
        exit;
    }

    /** @return array{int, string} status and what the log of tilld shows */
    public static function handle(string $body, array $headers): array
    {
        $connection = Connection::get();
        if ($connection === null) {
            return [503, 'this shop is not connected to tilld'];
        }
        try {
            $event = Tilld::verifyWebhook($body, $headers, $connection['secrets']);
        } catch (WebhookException $error) {
            Log::warning("a webhook was refused ({$error->reason}): {$error->getMessage()}");
            return [400, $error->reason];
        }
        update_option(self::SEEN, time(), false);
        $payment = $event['data']['payment'] ?? null;
        // What the event says is only where to look: the payment itself is asked for.
        $orderId = is_array($payment) ? Orders::idIn($payment) : null;
        if ($orderId === null) {
            return [200, 'not of this shop'];
        }
        try {
            Orders::sync($orderId, (string) $payment['id']);
        } catch (\Throwable $error) {
            Log::error("the webhook {$event['type']} for order {$orderId} failed and will be sent again", $error);
            return [500, 'could not be handled now'];
        }
        return [200, 'ok'];
    }
}
