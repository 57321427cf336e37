! Derived types that are assigned: whole, by component, and as elements of arrays.
module grains
  implicit none
  type :: vector
    real(8) :: x, y, z
  end type
  type :: grain
    type(vector) :: place, speed
    real(8) :: mass
    integer :: kind, color
  end type
  type :: bin
    integer(8) :: count
    type(grain) :: first
    type(grain) :: kept(4)
  end type
contains
  ! COPY: struct grain
  subroutine take_grain(to, from)
    type(grain), intent(out) :: to
    type(grain), intent(in) :: from
    to = from
  end subroutine
  ! COPY: struct vector
  subroutine take_place(to, from)
    type(bin), intent(inout) :: to
    type(grain), intent(in) :: from
    to%first%place = from%place
  end subroutine
  ! COPY: struct bin
  subroutine take_bin(to, from)
    type(bin), intent(out) :: to
    type(bin), intent(in) :: from
    to = from
  end subroutine
end module

program main
  use grains
  implicit none
  type(grain), save :: all(0:63)
  type(bin), save :: bins(0:15)
  integer(8) :: i, rounds
  real(8) :: sum
  character(32) :: text
  rounds = 10000000
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) rounds
  end if
  sum = 0
  do i = 0, rounds - 1
    call take_grain(all(iand(i, 63_8)), all(iand(i * 5 + 1, 63_8)))
    call take_place(bins(iand(i, 15_8)), all(iand(i * 3 + 1, 63_8)))
    call take_bin(bins(iand(i, 15_8)), bins(iand(i * 7 + 1, 15_8)))
    sum = sum + all(iand(i + 7, 63_8))%mass
  end do
  if (sum == 1) stop 1
end program
