<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** A refund that the shopkeeper deletes must not be claimed any more: its link ends with it, or the refund stays. */
final class DeletedRefunds
{
    public static function hook(): void
    {
        add_filter('woocommerce_pre_delete_order_refund', [self::class, 'endLink'], 10, 2);
    }

    /**
     * @param mixed $check null: nothing has kept the order or refund from being deleted
     * @return mixed false: the refund stays
     */
    public static function endLink($check, $refund)
    {
        if ($check !== null || !$refund instanceof \WC_Order_Refund || !Refunds::isOpen($refund)) {
            return $check;
        }
        $amount = Amounts::shown($refund->get_amount(), $refund->get_currency());
        try {
            Lock::hold("order_{$refund->get_parent_id()}", static function () use ($refund): void {
                self::cancel($refund);
            });
            /* translators: %s: amount with its currency */
            $note = sprintf(__('The refund of %s was deleted here. It can no longer be claimed by its link.', 'tilld-for-woocommerce'), $amount);
        } catch (NotConnected $error) {
            // In a copy of the shop, for example: the link belongs to the shop itself.
            return $check;
        } catch (\Throwable $error) {
            Log::warning("refund {$refund->get_id()} is not deleted: its link could not be cancelled", $error);
            /* translators: 1: amount with its currency 2: reason */
            $text = __('The refund of %1$s stays, because tilld did not cancel its link: %2$s', 'tilld-for-woocommerce');
            $note = sprintf($text, $amount, $error->getMessage());
            $check = false;
        }
        $order = wc_get_order($refund->get_parent_id());
        if ($order instanceof \WC_Order) {
            $order->add_order_note($note);
        }
        return $check;
    }

    private static function cancel(\WC_Order_Refund $refund): void
    {
        Connection::client()->refundLinks->cancel(['linkId' => (string) $refund->get_meta(Refunds::LINK)]);
        // Before the webhook of the same says that somebody cancelled it in tilld.
        $refund->update_meta_data(Refunds::STATUS, 'cancelled');
        $refund->save_meta_data();
    }
}
