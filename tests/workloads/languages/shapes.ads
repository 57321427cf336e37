-- SPDX-License-Identifier: GPL-2.0-or-later
package Shapes is
   type Kind is (Point, Circle, Box);
   type Shape (K : Kind := Point) is record
      Id : Integer := 0;
      case K is
         when Point => null;
         when Circle => Radius : Long_Float := 1.0;
         when Box => Width, Height : Integer := 2; Depth : Long_Float := 3.0;
      end case;
   end record;
   type Text is array (Positive range <>) of Character;
   type Buffer (Size : Positive) is record
      Count : Integer := 0;
      Data  : Text (1 .. Size);
      Tail  : Integer := 7;
   end record;
   type Shape_List is array (Positive range <>) of Shape;
   procedure Grow (L : in out Shape_List);
   procedure Fill (B : in out Buffer);
end Shapes;
