<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\ConflictException;
use Tilld\Tilld;

defined('ABSPATH') || exit;

/**
 * All payments of one order, and which of them is the order's: the one that has its money. Every door that asks for
 * money, or hears of it, comes through `current`, under the lock of the order.
 */
final class OrderPayments
{
    private const LIMIT = 100;
    /** The shop's states of a payment that has money of its order, by how much they settle. */
    private const RANKS = ['paid' => 0, 'seen' => 0, 'short' => 1, 'late' => 2];

    /**
     * The payment that belongs to the order now; null if there is none. The order follows it, any other that still asks
     * for money is cancelled, and money that another one has as well is noted. The caller saves the order.
     *
     * @param ?string $heard a payment that an event named
     */
    public static function current(\WC_Order $order, ?string $heard = null): ?array
    {
        $known = (string) $order->get_meta(Orders::PAYMENT);
        if ($known === '' && $heard === null && (string) $order->get_meta(Orders::ASKED) === '') {
            return null;
        }
        $payments = self::all($order, array_filter([$known, $heard]));
        $chosen = self::choose($payments, $known);
        if ($chosen === null) {
            return null;
        }
        // Whatever is cancelled here may have got money in between: then the choice is made again.
        foreach ($payments as $id => $payment) {
            if ($id !== $chosen['id'] && Tilld::shopState($payment) === 'waiting') {
                $payments[$id] = self::close($payment);
            }
        }
        $chosen = self::choose($payments, $chosen['id']);
        Orders::adopt($order, $chosen);
        foreach ($payments as $id => $payment) {
            if ($id !== $chosen['id']) {
                OrderState::tellOfMore($order, $payment);
            }
        }
        return $chosen;
    }

    /** Cancels a payment. @return array what it is afterwards */
    public static function close(array $payment): array
    {
        try {
            return Connection::client()->payments->cancel(['paymentId' => $payment['id']]);
        } catch (ConflictException $error) {
            // Money, or the end of its time, came in between.
            return Orders::lead(Connection::client()->payments->get(['paymentId' => $payment['id']]));
        }
    }

    /** Whether a payment has money of its order. */
    private static function hasMoney(array $payment): bool
    {
        return isset(self::RANKS[Tilld::shopState($payment)]) && !OrderState::isWorthless($payment);
    }

    /**
     * @param string[] $ids that must be among them, whatever name they were made under
     * @return array<string, array> by id, newest first
     */
    private static function all(\WC_Order $order, array $ids): array
    {
        $client = Connection::client();
        $payments = [];
        for ($round = Orders::round($order); $round > 0; $round--) {
            $listed = $client->payments->list(['orderId' => Orders::name($order, $round), 'limit' => self::LIMIT]);
            $payments += array_column($listed['payments'], null, 'id');
        }
        foreach ($ids as $id) {
            $payments[$id] = $payments[$id] ?? $client->payments->get(['paymentId' => $id]);
        }
        foreach ($payments as $id => $payment) {
            if (Orders::idIn($payment) !== $order->get_id()) {
                Log::warning("payment {$id} is not one of order {$order->get_id()}");
                unset($payments[$id]);
            } elseif (isset($payment['supersededBy'])) {
                unset($payments[$id]);
                $lead = $payment['supersededBy'];
                $payments[$lead] = $payments[$lead] ?? $client->payments->get(['paymentId' => $lead]);
            }
        }
        return $payments;
    }

    /** @param array<string, array> $payments newest first */
    private static function choose(array $payments, string $known): ?array
    {
        $own = $payments[$known] ?? null;
        $candidates = $own === null ? $payments : [$known => $own] + $payments;
        $best = null;
        foreach (array_filter($candidates, [self::class, 'hasMoney']) as $payment) {
            if ($best === null || self::RANKS[Tilld::shopState($payment)] < self::RANKS[Tilld::shopState($best)]) {
                $best = $payment;
            }
        }
        // An order that was given back is done; otherwise one that can still be paid, the order's own before others.
        if ($best !== null || ($own !== null && Tilld::shopState($own) === 'refunded')) {
            return $best ?? $own;
        }
        foreach ($candidates as $payment) {
            if (Tilld::shopState($payment) === 'waiting') {
                return $payment;
            }
        }
        return $own ?? (reset($candidates) ?: null);
    }
}
